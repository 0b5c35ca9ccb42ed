// A control that cannot be used is off, and its tooltip says why.

/** The attributes of a control: off if there is a reason, which is then its tooltip; else with its own tooltip. */
export const off = (reason: string | null, title?: string): { disabled: boolean; title: string | undefined } => ({ disabled: reason !== null, title: reason ?? title });
