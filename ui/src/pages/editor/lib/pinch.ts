// Pinches of a touchpad come as wheel events with Ctrl, which nobody holds.

let held = false;
const watch = (event: KeyboardEvent): void => {
  if (event.key === 'Control') held = event.type === 'keydown';
};
if (typeof window !== 'undefined') {
  addEventListener('keydown', watch, true);
  addEventListener('keyup', watch, true);
  addEventListener('blur', () => (held = false));
}

export const isPinch = (event: WheelEvent): boolean => event.ctrlKey && !held;
