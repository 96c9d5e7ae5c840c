import type { Engine } from '../engine/engine.ts';

const REPLACEMENT = 0xfffd;

/** Counts the characters in the page's text layer that have no Unicode value. */
export function countUnmappedLetters({ raw }: Engine, page: number): number {
  const textPage = raw.FPDFText_LoadPage(page);
  if (textPage === 0) return 0;
  try {
    let unmapped = 0;
    const count = raw.FPDFText_CountChars(textPage);
    for (let index = 0; index < count; index += 1) {
      const code = raw.FPDFText_GetUnicode(textPage, index);
      const isUnknown = code === 0 || code === REPLACEMENT;
      if (isUnknown || raw.FPDFText_HasUnicodeMapError(textPage, index) === 1) unmapped += 1;
    }
    return unmapped;
  } finally {
    raw.FPDFText_ClosePage(textPage);
  }
}
