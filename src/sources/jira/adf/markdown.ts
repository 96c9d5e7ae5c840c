import { inline, type Rendered, rendered } from './blocks.ts';
import { type AdfNode, nodeOf } from './document.ts';
import { inlineText } from './inline.ts';

/** What is nested deeper is given as plain text. */
const DEEPEST = 60;

interface Frame {
  node: AdfNode;
  parts: Rendered[];
  /** Of its content, the next to be rendered. */
  next: number;
}

const frameOf = (value: unknown): Frame => ({ node: nodeOf(value), parts: [], next: 0 });

/**
 * A document of Atlassian's as Markdown; of nodes that it does not know the text. `below`: how deep its headings stand
 * within the text around.
 */
export function adfToMarkdown(document: unknown, below = 0): string {
  const stack = [frameOf(document)];
  for (;;) {
    const frame = stack.at(-1)!;
    const { node, parts } = frame;
    const words = inlineText(node);
    if (words === undefined && frame.next < node.content.length) {
      const child = node.content[frame.next++];
      if (stack.length < DEEPEST) stack.push(frameOf(child));
      else parts.push(inline(plainText(child)));
      continue;
    }
    stack.pop();
    const done = words === undefined ? rendered(node, parts, below) : inline(words);
    const above = stack.at(-1);
    if (!above) return done.text.trim();
    // Marks are no part of code.
    above.parts.push(above.node.type === 'codeBlock' && node.type === 'text' ? inline(node.text) : done);
  }
}

/** The texts below a node, however deep. */
function plainText(root: unknown): string {
  const texts: string[] = [];
  const waiting = [root];
  while (waiting.length > 0) {
    const { text, content } = nodeOf(waiting.pop());
    if (text) texts.push(text);
    for (let at = content.length - 1; at >= 0; at--) waiting.push(content[at]);
  }
  return texts.join(' ');
}
