import type { WireDialect } from '#src/api/http/wire-dialect.ts';
import { type Issue, listIssues } from '#src/lib/errors.ts';
import { pagesForClient } from '#src/vocabulary/pages.ts';
import { toClient, toNeutral } from '#src/vocabulary/translate.ts';
import { isUserDefined, translatePath, translateText } from '#src/vocabulary/translate-text.ts';
import { toClientWord } from '#src/vocabulary/words.ts';

/** Converts requests and responses between the names of Sluice and those that LlamaCloud's clients use. */
export const compatDialect: WireDialect = {
  decodeRequest: toNeutral,
  encodeResponse: toClient,
  encodeError: (error) => listIssues(error)?.map(translateIssue) ?? translateText(error.message),
  translateWarnings: (warnings) =>
    warnings.map(({ field, reason }) => {
      const path = field.split('.');
      return {
        field: translatePath(path).join('.'),
        reason: isUserDefined(path) ? reason : translateText(reason),
      };
    }),
};

function translateIssue(issue: Issue): Issue {
  const { loc, msg, ctx, ...rest } = issue;
  const translated = { ...rest, loc: translatePath(loc) };
  if (isUserDefined(loc)) return { ...translated, msg, ...(ctx && { ctx }) };
  return {
    ...translated,
    ...restoreInput(issue),
    msg: translateText(msg),
    ...(ctx && { ctx: translateContext(ctx) }),
  };
}

/** Converts the input that a validation issue quotes back to what the client sent. */
function restoreInput({ loc, input }: Issue): Pick<Issue, 'input'> {
  if (typeof input !== 'string') return {};
  const isPages = loc.at(-2) === 'parse_parameters' && loc.at(-1) === 'target_pages';
  return { input: isPages ? pagesForClient(input) : toClientWord(input) };
}

const translateContext = (ctx: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(ctx).map(([name, value]) => [
      name,
      typeof value === 'string' ? translateText(value) : value,
    ]),
  );
