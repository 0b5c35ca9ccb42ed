// Which words of a window are not wholly seen.

/**
 * A function body for the page: lists texts that a box cuts off, that stand outside of the control they belong to, or beyond
 * the window, and groups of controls that have to be scrolled sideways. Text that may be scrolled to is seen; so is text with an ellipsis whose whole is in a tooltip. Names of files
 * and what tables hold are data of any length, and not looked at.
 */
export const CLIPPED = `
  const DATA = '[role="gridcell"], td, [data-testid="chain-text"], [data-testid="batch-chain-text"], .tabs [role="tab"], .hidden-text, svg, canvas, kbd.data';
  const PARENTS = 'button, label, th, [role="tab"], [role="columnheader"], [role="menuitem"], [role="menuitemcheckbox"], [role="radio"], [role="option"], .menu-item';
  const found = new Map();
  const scrolls = (style, axis) => /auto|scroll/.test(axis === "x" ? style.overflowX : style.overflowY);
  const cuts = (style, axis) => /hidden|clip/.test(axis === "x" ? style.overflowX : style.overflowY);
  const plain = (text) => text.replace(/[\\u2066-\\u2069]/g, "").replace(/\\s+/g, " ").trim();
  const told = (element, text) => plain(element.closest("[title]")?.title ?? "").includes(plain(text));
  const tell = (element, text, what) => {
    const place = [];
    for (let at = element; at && place.length < 4; at = at.parentElement) place.unshift(at.dataset?.testid ? '#' + at.dataset.testid : at.tagName.toLowerCase() + (typeof at.className === "string" && at.className ? "." + at.className.trim().split(/\\s+/).filter((name) => !/^svelte-/.test(name)).join(".") : ""));
    found.set(what + text.trim(), what + ": “" + text.trim().slice(0, 90) + "” in " + place.join(" > "));
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const element = node.parentElement;
    if (!/\\p{L}/u.test(node.data) || element.closest(DATA) || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    const own = element.getBoundingClientRect();
    // Elements for screen readers only are one pixel in size.
    if (box.width === 0 || own.width <= 1 || own.height <= 1) continue;
    const control = element.closest(PARENTS);
    if (control) {
      const around = control.getBoundingClientRect();
      if (box.right > around.right + 1 || box.left < around.left - 1 || box.bottom > around.bottom + 3 || box.top < around.top - 3) if (!(told(element, node.data) && getComputedStyle(element).textOverflow === "ellipsis")) tell(element, node.data, "outside its control");
    }
    const seen = { x: true, y: true };
    for (let at = element; at && at !== document.documentElement; at = at.parentElement) {
      const style = getComputedStyle(at);
      const around = at.getBoundingClientRect();
      if (seen.x && scrolls(style, "x")) seen.x = false;
      if (seen.y && scrolls(style, "y")) seen.y = false;
      if (seen.x && cuts(style, "x") && (box.right > around.right + 1 || box.left < around.left - 1)) {
        if (!(style.textOverflow === "ellipsis" && told(at, node.data))) tell(element, node.data, "cut off");
        seen.x = false;
      }
      if (seen.y && cuts(style, "y") && (box.bottom > around.bottom + 3 || box.top < around.top - 3)) {
        if (!told(at, node.data)) tell(element, node.data, "cut off below");
        seen.y = false;
      }
      if (style.position === "fixed") break;
    }
    if (seen.x && (box.right > innerWidth + 1 || box.left < -1)) tell(element, node.data, "beyond the window");
    if (seen.y && (box.bottom > innerHeight + 1 || box.top < -1)) tell(element, node.data, "below the window");
  }
  for (const group of document.querySelectorAll('[role="group"], [role="dialog"], aside')) {
    if (scrolls(getComputedStyle(group), "x") && group.scrollWidth > group.clientWidth + 1) tell(group, group.getAttribute("aria-label") ?? "", "wider than its place");
  }
  const canvas = document.createElement("canvas").getContext("2d");
  for (const field of document.querySelectorAll("input[placeholder]")) {
    const style = getComputedStyle(field);
    const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    canvas.font = style.fontWeight + " " + style.fontSize + " " + style.fontFamily;
    if (field.value === "" && field.checkVisibility() && canvas.measureText(field.placeholder).width > room + 1 && !told(field, field.placeholder)) tell(field, field.placeholder, "cut off in its field");
  }
  return [...found.values()];`;
