import { pageOf, readPageToken } from '#src/db/paging.ts';
import { type Check, type Finding, TOKEN_PLACE } from '#src/services/operating/check.ts';
import { deadLettersAfter, keyOf, sendAgain } from '#src/services/operating/dead-letters.ts';

/** Descriptions of the results of sending a message again. */
const ENDS = {
  sent: '',
  not_wanted: '; nobody wants its work any more',
  unreadable: '; it takes another release to read it',
};

/** Finds messages that failed on every attempt. With `fix`, sends those again whose work is still wanted. */
export const checkDeadLetters: Check = async (ctx, input) => {
  const key = readPageToken(input.page_token, ['number', 'string'], TOKEN_PLACE);
  const rows = await deadLettersAfter(ctx, key, input.page_size + 1);
  const { items, next_page_token } = pageOf(rows, input.page_size, keyOf);
  const findings: Finding[] = [];
  for (const letter of items) {
    const outcome = input.fix ? await sendAgain(ctx, letter) : undefined;
    const failed = `A message of type ${letter.type} failed every time`;
    const rest = input.fix ? ENDS[outcome ?? 'unreadable'] : '';
    findings.push({
      level: 'warn',
      place: `dead letter ${letter.id}`,
      message: `${failed}${rest}.`,
      mended: outcome !== undefined,
    });
  }
  return { examined: items.length, findings, next_page_token };
};
