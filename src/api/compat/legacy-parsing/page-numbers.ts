const SELECTION = /^[\d\s,-]{1,10000}$/;

/**
 * Converts a page selection from 0-based to 1-based numbers. Text that is not a page selection is returned
 * unchanged and rejected by later validation.
 */
export const fromZero = (pages: string): string => shiftPages(pages, 1);

export const toZero = (pages: string): string => shiftPages(pages, -1);

const shiftPages = (pages: string, by: number): string =>
  SELECTION.test(pages) ? pages.replace(/\d+/g, (page) => String(Number(page) + by)) : pages;
