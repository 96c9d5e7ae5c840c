import type { Check, Finding } from '#src/services/operating/check.ts';
import { rotatePage } from '#src/services/secrets/rotate-secrets.ts';

/** Finds encrypted secrets that cannot be decrypted, and counts those that a former key encrypted. */
export const checkSecrets: Check = async (ctx, { page_token = null, page_size }) => {
  const { examined, rotated, failed, next_page_token } = await rotatePage(
    ctx,
    { page_token, page_size },
    false,
  );
  const findings = failed.map(({ place, message }): Finding => {
    return {
      level: 'fail',
      place,
      message: `${message}. Configure the missing encryption key, or enter the secret again.`,
      mended: false,
    };
  });
  if (rotated > 0) {
    const message = `${rotated} rows have secrets that are encrypted with a former key. Run "npm run rotate-secrets".`;
    findings.push({ level: 'warn', place: 'secrets', message, mended: false });
  }
  return { examined, findings, next_page_token };
};
