import type { LanguageModel } from 'ai';
import { configHash } from '#src/lib/hash.ts';
import { nameOf } from '#src/models/language/language-model.ts';
import { parsingConfigHash } from '#src/parsing/configuration-hash.ts';
import { rangeState } from '#src/parsing/page-store.ts';
import type { ParseParameters } from '#src/parsing/parameters.ts';
import type { FileRequest } from '#src/parsing/service.ts';
import { layoutParameters, pageParameters } from '#src/reading/layout-parameters.ts';
import type { Plan } from '#src/reading/plan.ts';
import { READING_VERSION } from '#src/reading/reading.ts';

export interface Reader {
  plan: Plan;
  model: LanguageModel;
  parameters: ParseParameters;
  /** Names the parse that the parser does for it, which all share who ask for the same layout. */
  layout: { parameters: ParseParameters; configHash: string };
  /** Names how it reads: mode, prompts, model and version. */
  hash: string;
  /** The same of a single page, whichever others are read. */
  pageHash: string;
}

export async function readerOf(
  parameters: ParseParameters,
  plan: Plan,
  model: LanguageModel,
): Promise<Reader> {
  const layout = layoutParameters(parameters);
  const by = { model: nameOf(model), version: READING_VERSION };
  const [layoutHash, own, ofPage] = await Promise.all(
    [layout, parameters, pageParameters(parameters)].map(parsingConfigHash),
  );
  return {
    ...{ plan, model, parameters },
    layout: { parameters: layout, configHash: layoutHash! },
    hash: await configHash({ ...by, parsing: own }),
    pageHash: await configHash({ ...by, parsing: ofPage }),
  };
}

/** Marks a range in which pages are missing that another attempt may read. */
export const INCOMPLETE = ' incomplete';

/** What was kept by another run counts only where the parameters let it. */
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
