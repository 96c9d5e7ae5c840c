import type { LanguageModel } from 'ai';
import { rangeState } from '#src/documents/page-store.ts';
import { configHash } from '#src/lib/secrets/hash.ts';
import { parsingConfigHash } from '#src/parse/configuration-hash.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import type { FileRequest } from '#src/parse/service.ts';
import { nameOf } from '#src/ports/language-model.ts';
import { layoutParameters, pageParameters } from '#src/reading/plan/layout-parameters.ts';
import { asksForName } from '#src/reading/plan/rules.ts';
import type { Way, Ways } from '#src/reading/plan/ways.ts';
import { READING_VERSION } from '#src/reading/reading.ts';

/** A way of reading with its model. */
export interface ReadingWay extends Way {
  /** Undefined if the pages stay with the parser. */
  model: LanguageModel | undefined;
  /** Hash of how it reads a page, independent of other pages. */
  pageHash: string;
}

export interface Reader {
  ways: Ways;
  base: ReadingWay;
  ofRules: readonly ReadingWay[];
  parameters: ParseParameters;
  /** The parser's own parse. All readers with the same layout parameters share it. */
  layout: { parameters: ParseParameters; configHash: string };
  /** Hash of modes, rules, prompts, models and version. */
  hash: string;
}

/** Creates the reader. `models` are those of pages without a rule and of each rule. */
export async function readerOf(
  ways: Ways,
  [model, ...ofRules]: readonly (LanguageModel | undefined)[],
  fileName: string,
): Promise<Reader> {
  const { parameters } = ways.base;
  const layout = layoutParameters(ways);
  const [base, ...others] = await Promise.all([
    withModel(ways.base, model),
    ...ways.ofRules.map((way, at) => withModel(way, ofRules[at])),
  ]);
  const names = [model, ...ofRules].map((each) => each && nameOf(each));
  const by = {
    ...{ model: names.length === 1 ? names[0] : names, version: READING_VERSION },
    ...(asksForName(ways.rules) && { file: fileName }),
  };
  return {
    ...{ ways, base, ofRules: others, parameters },
    layout: { parameters: layout, configHash: await parsingConfigHash(layout) },
    hash: await configHash({ ...by, parsing: await parsingConfigHash(parameters) }),
  };
}

async function withModel(way: Way, model: LanguageModel | undefined): Promise<ReadingWay> {
  const parsing = await parsingConfigHash(pageParameters(way.parameters));
  const by = { model: model && nameOf(model), version: READING_VERSION };
  return { ...way, model, pageHash: await configHash({ ...by, parsing }) };
}

/** Marks a range in which pages are missing that another attempt may read. */
export const INCOMPLETE = ' incomplete';

/** Readings of another run are used only if the parameters allow it. */
export function isUsable(run: string, { parameters, run: own = '' }: FileRequest): boolean {
  return run === own || !(parameters.do_not_cache || parameters.invalidate_cache);
}

/** Whether the range has been read as this reader does. */
export async function isRead(
  bucket: R2Bucket,
  reader: Reader,
  request: FileRequest,
  from: number,
): Promise<boolean> {
  const state = await rangeState(bucket, request, from);
  if (!state) return false;
  const { reader: by, run } = state;
  const isOfRun = run === (request.run ?? '');
  return isUsable(run, request) && (by === reader.hash || (by === reader.hash + INCOMPLETE && isOfRun));
}
