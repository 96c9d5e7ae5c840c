import { textParser } from '../text/index.ts';
export const restructuredTextParser = textParser;
