// Moving a slot with the pointer: where it would go is shown as a line between slots.

import { placeOf } from '../../../lib/chain';
import type { DocumentState } from '../../../state/document.svelte';

interface Target {
  parent: number | null;
  index: number;
  top: number;
  left: number;
  width: number;
}

export class SlotDrag {
  node: number | null = $state(null);
  line: { top: number; left: number; width: number } | null = $state.raw(null);
  private target: Target | null = null;

  constructor(private readonly document: DocumentState) {}

  start(event: PointerEvent, node: number, scroller: HTMLElement): void {
    if (event.button !== 0) return;
    const grip = event.currentTarget as HTMLElement;
    const fromY = event.clientY;
    grip.setPointerCapture(event.pointerId);
    const move = (moved: PointerEvent) => {
      if (this.node === null && Math.abs(moved.clientY - fromY) < 4) return;
      this.node = node;
      const box = scroller.getBoundingClientRect();
      if (moved.clientY < box.top + 24) scroller.scrollTop -= 8;
      if (moved.clientY > box.bottom - 24) scroller.scrollTop += 8;
      this.target = this.find(moved.clientX, moved.clientY, scroller);
      this.line = this.target
        ? { top: this.target.top - box.top + scroller.scrollTop, left: this.target.left - box.left, width: this.target.width }
        : null;
    };
    const end = (ended: Event) => {
      grip.removeEventListener('pointermove', move);
      if (ended.type === 'pointerup' && this.node !== null) this.drop();
      this.node = null;
      this.line = null;
      this.target = null;
    };
    grip.addEventListener('pointermove', move);
    grip.addEventListener('pointerup', end, { once: true });
    grip.addEventListener('pointercancel', end, { once: true });
  }

  /** The gap nearest to the pointer, in the innermost group under it. */
  private find(x: number, y: number, scroller: HTMLElement): Target | null {
    const lists = [...scroller.querySelectorAll<HTMLElement>('[data-list]')].filter((list) => {
      const box = list.getBoundingClientRect();
      return y >= box.top && y <= box.bottom && x >= box.left && !this.insideDragged(list);
    });
    const list = lists.at(-1) ?? scroller.querySelector<HTMLElement>('[data-list]');
    if (!list) return null;
    const slots = [...list.children].filter((child): child is HTMLElement => child instanceof HTMLElement && child.dataset['node'] !== undefined);
    const box = list.getBoundingClientRect();
    let index = 0;
    let top = slots[0]?.getBoundingClientRect().top ?? box.top;
    for (const slot of slots) {
      const each = slot.getBoundingClientRect();
      if (y < each.top + each.height / 2) break;
      index++;
      top = each.bottom + 3;
    }
    const parent = list.dataset['list'] === '' ? null : Number(list.dataset['list']);
    return { parent, index, top: top - 2, left: box.left, width: box.width };
  }

  private insideDragged(list: HTMLElement): boolean {
    return list.closest(`[data-node="${this.node}"]`) !== null;
  }

  private drop(): void {
    const { node, target } = this;
    const place = node === null ? null : placeOf(this.document.chain.nodes, node);
    if (node === null || !target || !place) return;
    const sameList = place.parent === target.parent;
    // The place counts once the node is gone from its old one.
    const index = sameList && place.index < target.index ? target.index - 1 : target.index;
    if (sameList && index === place.index) return;
    this.document.edit({ kind: 'move', node, parent: target.parent, index });
  }
}
