import { createInterface } from 'node:readline/promises';
import { createTerminalPrompt } from '../import/terminal-prompt.ts';

export interface OperatorPrompt {
  /** Asks for a secret without showing the typed text. */
  secret(question: string): Promise<string>;
  text(question: string): Promise<string>;
}

export function createOperatorPrompt(): OperatorPrompt | undefined {
  const secret = createTerminalPrompt();
  if (!secret) return undefined;
  return {
    secret,
    text: async (question) => {
      const lines = createInterface({ input: process.stdin, output: process.stderr });
      lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
      try {
        return (await lines.question(question)).trim();
      } finally {
        lines.close();
      }
    },
  };
}
