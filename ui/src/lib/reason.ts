// A control that cannot be used is disabled, and its tooltip gives the reason.

/** The attributes of a control: disabled if there is a reason, which replaces its tooltip. */
export const off = (reason: string | null, title?: string): { disabled: boolean; title: string | undefined } => ({ disabled: reason !== null, title: reason ?? title });
