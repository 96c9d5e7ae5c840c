import type { z } from 'zod';
import type { TenantContext } from '#src/context/context.ts';
import type { Fence } from './fence.ts';

/** What clients are told of a tool before they let a model call it. */
export interface Annotations {
  /** It changes nothing that a later call could see. */
  readOnlyHint: boolean;
  destructiveHint: boolean;
  /** The same call twice leaves what one leaves. */
  idempotentHint: boolean;
  /** It reaches systems that the caller names, outside this installation. */
  openWorldHint: boolean;
}

export const READS: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

export interface Call<Input> {
  ctx: TenantContext;
  input: Input;
  /** Fires when nobody waits for the answer any more. */
  signal: AbortSignal;
  requestId: string;
  /** Every text of a document, and every name that came with one, goes through it before a model reads it. */
  fence: Fence;
}

/** `data` is the structured content, `text` the same for a reader. */
export interface ToolAnswer<Data> {
  data: Data;
  text: string;
}

interface ToolSpec<Name extends string, Input extends z.ZodObject, Output extends z.ZodObject> {
  name: Name;
  title: string;
  description: string;
  input: Input;
  output: Output;
  annotations: Annotations;
  handle(call: Call<z.output<Input>>): Promise<ToolAnswer<z.input<Output>>>;
}

export type Tool<Name extends string = string> = ToolSpec<Name, z.ZodObject, z.ZodObject>;

/** Declares a tool. Arguments that it does not know are refused: a misspelt one would silently change nothing. */
export function tool<const Name extends string, Input extends z.ZodObject, Output extends z.ZodObject>(
  spec: ToolSpec<Name, Input, Output>,
): Tool<Name> {
  // The registry forgets each one's own types; `callTool` has validated what it hands to `handle`.
  return { ...spec, input: spec.input.strict() } as unknown as Tool<Name>;
}
