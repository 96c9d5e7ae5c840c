import { createInterface } from 'node:readline/promises';
import { terminal } from '../import/ask.ts';

/** Whoever runs this, where they sit at a terminal. */
export interface Operator {
  /** Without echo. */
  secret(question: string): Promise<string>;
  text(question: string): Promise<string>;
}

export function operator(): Operator | undefined {
  const secret = terminal();
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
