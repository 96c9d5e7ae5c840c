import type { Check, Finding } from '#src/services/operating/check.ts';
import { goThroughSecrets } from '#src/services/secrets/rotate-secrets.ts';

/** Finds encrypted secrets that do not open, or not with the current key. */
export const checkSecrets: Check = async (ctx, { page_token = null, page_size }) => {
  const { examined, rotated, failed, next_page_token } = await goThroughSecrets(
    ctx,
    { page_token, page_size },
    false,
  );
  const findings = failed.map(({ place, message }): Finding => {
    return {
      level: 'fail',
      place,
      message: `${message} Bring its key back, or enter it anew.`,
      mended: false,
    };
  });
  if (rotated > 0) {
    const message = `${rotated} are sealed with a former key: npm run rotate-secrets seals them anew.`;
    findings.push({ level: 'warn', place: 'secrets', message, mended: false });
  }
  return { examined, findings, next_page_token };
};
