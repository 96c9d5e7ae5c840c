const SELECTION = /^[\d\s,-]{1,10000}$/;

/** Pages counted from 0, as pages counted from 1. What is no selection stays as it is, to be refused as one. */
export const fromZero = (pages: string): string => shifted(pages, 1);

export const toZero = (pages: string): string => shifted(pages, -1);

const shifted = (pages: string, by: number): string =>
  SELECTION.test(pages) ? pages.replace(/\d+/g, (page) => String(Number(page) + by)) : pages;
