import Parser from '#parser/worker.ts';
import type { IsWanted, ParserRequest } from '#src/parse/service.ts';

/** Name of the file over which this parser never returns and never yields. */
const HANGING_FILE = 'hang.txt';

/** The parser with one deliberate fault. */
export default class HangingParser extends Parser {
  override parseFile(request: ParserRequest, isWanted: IsWanted) {
    if (request.name === HANGING_FILE) for (;;);
    return super.parseFile(request, isWanted);
  }
}
