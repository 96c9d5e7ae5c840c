import type { Prompt } from './secrets.ts';

/**
 * Returns a function that asks on the terminal without echo. Returns `undefined` if the process has no
 * terminal.
 */
export function createTerminalPrompt(): Prompt | undefined {
  const { stdin, stderr } = process;
  if (!stdin.isTTY || !stderr.isTTY) return undefined;
  return (question) =>
    new Promise((resolve) => {
      let typed = '';
      stderr.write(question);
      const finish = (answer: string) => {
        stdin.off('data', onData);
        stdin.setRawMode(false);
        stdin.pause();
        stderr.write('\n');
        resolve(answer);
      };
      const onData = (text: string) => {
        for (const character of text) {
          if (character === '\r' || character === '\n' || character === '\u0004') return finish(typed);
          if (character === '\u0003') {
            finish('');
            process.kill(process.pid, 'SIGINT');
            return;
          }
          typed = character === '\u007f' || character === '\b' ? typed.slice(0, -1) : typed + character;
        }
      };
      stdin.setRawMode(true);
      stdin.setEncoding('utf8').on('data', onData).resume();
    });
}
