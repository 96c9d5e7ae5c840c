import { textParser } from '../text/index.ts';
export const orgParser = textParser;
