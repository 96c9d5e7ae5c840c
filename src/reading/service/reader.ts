import type { LanguageModel } from 'ai';
import { readRangeState } from '#src/documents/page-store.ts';
import { configHash } from '#src/lib/secrets/hash.ts';
import { parsingConfigHash } from '#src/parse/configuration-hash.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import type { FileRequest } from '#src/parse/service.ts';
import { getModelName } from '#src/ports/language-model.ts';
import { getLayoutParameters, getPageParameters } from '#src/reading/plan/layout-parameters.ts';
import type { PagePlan, PagePlans } from '#src/reading/plan/page-plan.ts';
import { dependsOnFileName } from '#src/reading/plan/rules.ts';
import { READING_VERSION } from '#src/reading/reading.ts';

export interface PageReader extends PagePlan {
  /** Language model that reads the pages. Undefined if only the parser reads them. */
  model: LanguageModel | undefined;
  /**
   * Hash of everything that affects how a single page is read. Results of earlier reads are found by this
   * hash.
   */
  pageHash: string;
}

export interface Reader {
  plans: PagePlans;
  base: PageReader;
  ruleReaders: readonly PageReader[];
  parameters: ParseParameters;
  /**
   * Parameters and hash of the parser's layout. Readers with equal layout parameters share one stored layout.
   */
  layout: { parameters: ParseParameters; configHash: string };
  hash: string;
}

/**
 * Creates the reader of a document from page plans and language models. The first model reads pages without a
 * rule. The other models belong to the rules, in order.
 */
export async function createReader(
  plans: PagePlans,
  [model, ...ruleModels]: readonly (LanguageModel | undefined)[],
  fileName: string,
): Promise<Reader> {
  const { parameters } = plans.base;
  const layout = getLayoutParameters(plans);
  const [base, ...others] = await Promise.all([
    createPageReader(plans.base, model),
    ...plans.rulePlans.map((plan, at) => createPageReader(plan, ruleModels[at])),
  ]);
  const names = [model, ...ruleModels].map((each) => each && getModelName(each));
  const by = {
    ...{ model: names.length === 1 ? names[0] : names, version: READING_VERSION },
    ...(dependsOnFileName(plans.rules) && { file: fileName }),
  };
  return {
    ...{ plans, base, ruleReaders: others, parameters },
    layout: { parameters: layout, configHash: await parsingConfigHash(layout) },
    hash: await configHash({ ...by, parsing: await parsingConfigHash(parameters) }),
  };
}

async function createPageReader(plan: PagePlan, model: LanguageModel | undefined): Promise<PageReader> {
  const parsing = await parsingConfigHash(getPageParameters(plan.parameters));
  const by = { model: model && getModelName(model), version: READING_VERSION };
  return { ...plan, model, pageHash: await configHash({ ...by, parsing }) };
}

/**
 * Suffix of the stored hash of a page range in which some pages failed. Another attempt may be able to read
 * these pages.
 */
export const INCOMPLETE = ' incomplete';

/**
 * Returns whether results of the given run may be reused. Results of other runs are not reused if the
 * parameters turn off the cache.
 */
export function isUsable(run: string, { parameters, run: own = '' }: FileRequest): boolean {
  return run === own || !(parameters.do_not_cache || parameters.invalidate_cache);
}

export async function isRead(
  bucket: R2Bucket,
  reader: Reader,
  request: FileRequest,
  from: number,
): Promise<boolean> {
  const state = await readRangeState(bucket, request, from);
  if (!state) return false;
  const { reader: by, run } = state;
  const isSameRun = run === (request.run ?? '');
  return isUsable(run, request) && (by === reader.hash || (by === reader.hash + INCOMPLETE && isSameRun));
}
