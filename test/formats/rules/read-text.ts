import { openDocument } from '#src/formats/registry.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { readAll } from '#test/suites/parser.suite.ts';

/** Parses a text as a file with the name, and returns the Markdown of its pages. */
export async function readText(name: string, text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const document = await openDocument({ bytes, name, plan: resolveParsePlan({}) });
  return (await readAll(document)).map((page) => page.markdown).join('\n\f\n');
}
