/** Returns an address without trailing slashes, for appending paths. */
export const baseUrl = (address: string): string => address.replace(/(?<!\/)\/+$/, '');
