import type { Ask } from './secrets.ts';

/** Asks on the terminal, without echo; undefined when nobody sits at one. */
export function terminal(): Ask | undefined {
  const { stdin, stderr } = process;
  if (!stdin.isTTY || !stderr.isTTY) return undefined;
  return (question) =>
    new Promise((resolve) => {
      let typed = '';
      stderr.write(question);
      const end = (answer: string) => {
        stdin.off('data', take);
        stdin.setRawMode(false);
        stdin.pause();
        stderr.write('\n');
        resolve(answer);
      };
      const take = (text: string) => {
        for (const character of text) {
          if (character === '\r' || character === '\n' || character === '\u0004') return end(typed);
          if (character === '\u0003') {
            end('');
            process.kill(process.pid, 'SIGINT');
            return;
          }
          typed = character === '\u007f' || character === '\b' ? typed.slice(0, -1) : typed + character;
        }
      };
      stdin.setRawMode(true);
      stdin.setEncoding('utf8').on('data', take).resume();
    });
}
