import { z } from 'zod';
import { PageRangeError, parsePageRanges } from './page-ranges.ts';

/** Schema of comma-separated 1-based page numbers or ranges, such as "1,3-5". */
export const targetPages = z.string().superRefine((text, context) => {
  try {
    parsePageRanges(text);
  } catch (error) {
    if (!(error instanceof PageRangeError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
  }
});
