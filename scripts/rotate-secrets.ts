import { postAsOperator, runOperatorCommand } from './operator.ts';

// Encrypts every stored secret again with the current ENCRYPTION_KEY. docs/how-to/rotate-secrets.md describes
// the whole procedure.

/**
 * Maximum number of passes. A concurrent write during one pass may store a secret with an old key, and the
 * next pass finds it.
 */
const MAX_PASSES = 10;

interface Step {
  examined: number;
  rotated: number;
  failed: { place: string; message: string }[];
  next_page_token: string | null;
}

const step = (page_token: string | null) =>
  postAsOperator<Step>('/api/v1/admin/rotate-secrets', { page_token });

async function pass(): Promise<Step> {
  const total: Step = { examined: 0, rotated: 0, failed: [], next_page_token: null };
  let token: string | null = null;
  do {
    const { examined, rotated, failed, next_page_token } = await step(token);
    total.examined += examined;
    total.rotated += rotated;
    total.failed.push(...failed);
    token = next_page_token;
  } while (token);
  return total;
}

async function rotate(): Promise<void> {
  let rotated = 0;
  for (let count = 1; ; count++) {
    const done = await pass();
    rotated += done.rotated;
    if (done.rotated > 0 && count < MAX_PASSES) continue;
    for (const { place, message } of done.failed) console.error(`  ${place}: ${message}`);
    console.log(
      `Rows with secrets: ${done.examined}. Encrypted again: ${rotated}. Failed: ${done.failed.length}.`,
    );
    if (done.failed.length > 0 || done.rotated > 0) process.exitCode = 1;
    else console.log('ENCRYPTION_KEYS_PREVIOUS can be removed.');
    return;
  }
}

await runOperatorCommand(rotate);
