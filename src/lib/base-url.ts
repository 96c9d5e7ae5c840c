/** Removes trailing slashes from an address, so that a path can be appended. */
export const baseUrl = (address: string): string => address.replace(/(?<!\/)\/+$/, '');
