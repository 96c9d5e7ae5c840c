import { z } from 'zod';
import { TOOL_NAMES, TOOLS } from './registry.ts';
import type { Annotations } from './tool.ts';

export interface DescribedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: ObjectSchema;
  outputSchema: ObjectSchema;
  annotations: Annotations & { title: string };
}

type ObjectSchema = { type: 'object'; [member: string]: unknown };

/** As it travels: what transforms make of an input concerns nobody outside, and answers are not transformed. */
const jsonSchema = (schema: z.ZodObject) =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as unknown as ObjectSchema;

let described: DescribedTool[] | undefined;

/** Made when it is first asked for: walking every schema is work that start-up must not pay. */
export function describedTools(): DescribedTool[] {
  described ??= TOOL_NAMES.map((name) => {
    const { title, description, input, output, annotations } = TOOLS[name];
    return {
      ...{ name, title, description },
      inputSchema: jsonSchema(input),
      outputSchema: jsonSchema(output),
      annotations: { title, ...annotations },
    };
  });
  return described;
}
