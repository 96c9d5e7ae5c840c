import type { ReadBy } from '#src/documents/document.ts';
import type { StoredPage } from '#src/documents/page-store.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { needsModel, planOf } from '#src/reading/plan/plan.ts';

/** How a page was read. */
export type PageReader = Omit<ReadBy, 'version'> & { version: string | null };

export const readerOf = ({ readBy }: StoredPage, parameters: ParseParameters): PageReader =>
  readBy ?? byParser(parameters);

/** Of a page that no reader of this service has touched. */
function byParser(parameters: ParseParameters): PageReader {
  const plan = planOf(parameters);
  const { mode, chosenBy } = plan;
  const asked = chosenBy ? `${chosenBy} asks for it.` : 'No parameter asks for anything else.';
  if (!needsModel(plan)) return { mode, model: null, version: null, reason: asked };
  const reason = 'No language model was configured for parsing.';
  return { mode: 'layout', model: null, version: null, reason };
}
