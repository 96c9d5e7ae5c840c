const SELECTION = /^[\d\s,-]{1,10000}$/;

/**
 * Converts page numbers from 0-based to 1-based. Text that is no selection is returned unchanged and rejected
 * later.
 */
export const fromZero = (pages: string): string => shiftPages(pages, 1);

export const toZero = (pages: string): string => shiftPages(pages, -1);

const shiftPages = (pages: string, by: number): string =>
  SELECTION.test(pages) ? pages.replace(/\d+/g, (page) => String(Number(page) + by)) : pages;
