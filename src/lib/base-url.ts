/** An address that paths are put behind: without the slashes at its end. */
export const baseUrl = (address: string): string => address.replace(/(?<!\/)\/+$/, '');
