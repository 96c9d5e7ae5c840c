import { buildPage, parsePageToken } from '#src/db/paging.ts';
import { type Check, type Finding, TOKEN_LOCATION } from '#src/services/operating/check.ts';
import { getDeadLetterKey, listDeadLettersAfter, resend } from '#src/services/operating/dead-letters.ts';

/** Text that is added to the message of a finding, by the result of sending the dead letter again. */
const OUTCOME_NOTES = {
  sent: '',
  not_wanted: ', and its work is no longer needed',
  unreadable: ', and only another release can read it',
};

/**
 * Finds messages that failed on every attempt. With `fix`, messages whose work is still needed are sent
 * again.
 */
export const checkDeadLetters: Check = async (ctx, input) => {
  const key = parsePageToken(input.page_token, ['number', 'string'], TOKEN_LOCATION);
  const rows = await listDeadLettersAfter(ctx, key, input.page_size + 1);
  const { items, next_page_token } = buildPage(rows, input.page_size, getDeadLetterKey);
  const findings: Finding[] = [];
  for (const letter of items) {
    const outcome = input.fix ? await resend(ctx, letter) : undefined;
    const failed = `A message of type ${letter.type} failed on every attempt`;
    const rest = input.fix ? OUTCOME_NOTES[outcome ?? 'unreadable'] : '';
    findings.push({
      level: 'warn',
      place: `dead letter ${letter.id}`,
      message: `${failed}${rest}.`,
      mended: outcome !== undefined,
    });
  }
  return { examined: items.length, findings, next_page_token };
};
