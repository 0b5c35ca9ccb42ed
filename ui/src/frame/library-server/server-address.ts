// The address of a library on a server, as far as it can be judged before it is used.

/** Reads what was typed: an address, or null for the library in the data folder. */
export function readServer(typed: string): { value: string | null } | { problem: 'form' | 'password' } {
  const address = typed.trim();
  if (address === '') return { value: null };
  const parts = /^postgres(?:ql)?:\/\/([^/?]*)/.exec(address);
  if (!parts) return { problem: 'form' };
  const user = parts[1]?.split('@').slice(0, -1).join('@') ?? '';
  return user.includes(':') ? { problem: 'password' } : { value: address };
}
