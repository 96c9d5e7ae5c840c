import { textParser } from '../text/index.ts';
export const asciidocParser = textParser;
