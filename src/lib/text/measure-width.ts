const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\uff00-\uffef]/gu;

/** Returns the width of a text in Latin letters. Chinese, Japanese and Korean letters are twice as wide. */
export const measureWidth = (text: string): number => text.length + (text.match(WIDE)?.length ?? 0);
