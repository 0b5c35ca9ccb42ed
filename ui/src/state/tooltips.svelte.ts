// Custom tooltips made from `title` attributes. The web view's tooltips stay on the screen when a dialog opens or their
// element changes.

/** How long the pointer rests before a tooltip shows, and how often its validity is checked. */
const REST_MS = 450;
const LOOK_MS = 150;

export interface Tip {
  text: string;
  /** Where the pointer was. */
  x: number;
  y: number;
  /** The box of what it is about, unless that is too large to point at. */
  box: DOMRect | null;
}

export class Tooltips {
  tip: Tip | null = $state.raw(null);
  /** The titles of elements under the pointer, removed so that the web view does not show them. */
  private readonly held = new Map<HTMLElement, string>();
  private element: HTMLElement | null = null;
  /** The element that was pressed or typed at: its tooltip waits until the pointer comes again. */
  private quiet: HTMLElement | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private x = 0;
  private y = 0;
  private readonly changes = new MutationObserver(() => this.retitle());

  /** Watches the document; returns what ends it. */
  watch(): () => void {
    const over = (event: PointerEvent): void => {
      if (event.pointerType === 'touch') return;
      [this.x, this.y] = [event.clientX, event.clientY];
      this.enter(event.target instanceof Element ? event.target : null);
    };
    const move = (event: PointerEvent): void => {
      [this.x, this.y] = [event.clientX, event.clientY];
    };
    const dismiss = (): void => this.dismiss();
    const leave = (): void => this.enter(null);
    const options = { capture: true, passive: true };
    const heard: [EventTarget, string, (event: never) => void][] = [
      [window, 'pointerover', over],
      [window, 'pointermove', move],
      [window, 'pointerdown', dismiss],
      [window, 'keydown', dismiss],
      [window, 'wheel', dismiss],
      [window, 'blur', leave],
      [document.documentElement, 'pointerleave', leave],
    ];
    for (const [target, name, listener] of heard) target.addEventListener(name, listener as EventListener, options);
    return () => {
      for (const [target, name, listener] of heard) target.removeEventListener(name, listener as EventListener, options);
      this.enter(null);
    };
  }

  /** The pointer is over an element now. */
  enter(target: Element | null): void {
    const path: HTMLElement[] = [];
    for (let each = target; each; each = each.parentElement) {
      if (each instanceof HTMLElement && (each.title !== '' || this.held.has(each))) path.push(each);
    }
    for (const [element, title] of this.held) {
      if (path.includes(element)) continue;
      this.held.delete(element);
      if (!element.hasAttribute('title')) element.title = title;
    }
    for (const element of path) this.hold(element);
    const next = path[0] ?? null;
    if (next === this.element) return;
    if (this.quiet !== null && next !== this.quiet) this.quiet = null;
    this.element = next;
    this.changes.disconnect();
    if (next) this.changes.observe(next, { attributes: true, attributeFilter: ['title'] });
    this.hide();
    if (next && next !== this.quiet) this.wait(REST_MS);
  }

  private hold(element: HTMLElement): void {
    if (element.title === '') return;
    this.held.set(element, element.title);
    element.removeAttribute('title');
  }

  /** Takes up the new title of its element. */
  private retitle(): void {
    const { element } = this;
    if (!element?.title) return;
    this.hold(element);
    if (this.tip) this.tip = { ...this.tip, text: this.held.get(element) ?? '' };
  }

  private wait(ms: number): void {
    this.timer = setTimeout(() => this.look(), ms);
  }

  /** Shows the tooltip if its element is still what is under the pointer, and takes it away if it is not. */
  private look(): void {
    const { element } = this;
    const under = document.elementFromPoint(this.x, this.y);
    if (!element || !under || !element.contains(under)) return this.enter(under);
    if (!this.tip) {
      const box = element.getBoundingClientRect();
      this.tip = { text: this.held.get(element) ?? '', x: this.x, y: this.y, box: box.height <= 60 && box.width <= 360 ? box : null };
    }
    this.wait(LOOK_MS);
  }

  private hide(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.tip = null;
  }

  private dismiss(): void {
    this.quiet = this.element;
    this.hide();
  }
}
