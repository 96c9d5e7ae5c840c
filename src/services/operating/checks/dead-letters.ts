import { pageOf, readPageToken } from '#src/db/paging.ts';
import { type Check, type Finding, TOKEN_PLACE } from '#src/services/operating/check.ts';
import { deadLettersAfter, keyOf, sendAgain } from '#src/services/operating/dead-letters.ts';

/** Whether messages have failed every time; those whose work is still wanted are sent again. */
export const checkDeadLetters: Check = async (ctx, input) => {
  const key = readPageToken(input.page_token, ['number', 'string'], TOKEN_PLACE);
  const rows = await deadLettersAfter(ctx, key, input.page_size + 1);
  const { items, next_page_token } = pageOf(rows, input.page_size, keyOf);
  const findings: Finding[] = [];
  for (const letter of items) {
    const outcome = input.fix ? await sendAgain(ctx, letter) : undefined;
    const failed = `A message of type ${letter.type} failed every time`;
    const message = outcome === 'not_wanted' ? `${failed}; nobody wants its work any more.` : `${failed}.`;
    findings.push({
      level: 'warn',
      place: `dead letter ${letter.id}`,
      message,
      mended: outcome !== undefined,
    });
  }
  return { examined: items.length, findings, next_page_token };
};
