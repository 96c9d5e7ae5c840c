import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { createContext } from '#src/context/context.ts';
import { derivedId } from '#src/lib/ids.ts';
import { keepDeadLetter } from '#src/services/operating/dead-letters.ts';
import type { Message } from '#src/work/messages.ts';

/** Keeps a message as one that failed every time; its id among the dead letters. */
export async function kept(message: Message): Promise<string> {
  const messageId = crypto.randomUUID();
  await keepDeadLetter(createContext(env, createExecutionContext()), messageId, message.type, message);
  return derivedId('dead-letter', messageId);
}

/** One whose work nobody wants. */
export const deadLetterOf = (type: 'deliver-webhook' | 'extract') =>
  kept({ type, jobId: crypto.randomUUID() });
