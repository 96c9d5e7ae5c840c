import type { Page } from '#src/parsing/document.ts';

/** A part of a Markdown text, [start, end) in UTF-16 units. */
export interface Span {
  start: number;
  end: number;
}

export interface Verification {
  /** 0..1: how much of what was read stands on the page, and how much of the page was read. */
  confidence: number;
  /** What the page does not say. */
  unsupported: Span[];
}

/** What is known of a page without any model. */
export type Truth = Pick<Page, 'text' | 'words' | 'blocks'>;

export type VerifyPage = (markdown: string, truth: Truth) => Verification;
