import type { z } from 'zod';
import type { TenantContext } from '#src/context/context.ts';
import type { ApiScope } from '#src/db/schema/index.ts';
import type { Fence } from './fence.ts';

/** Hints about the effects of a tool, as the Model Context Protocol defines them for clients. */
export interface Annotations {
  /** Whether the tool changes nothing that a later call can see. */
  readOnlyHint: boolean;
  destructiveHint: boolean;
  /** Whether repeating a call has no further effect. */
  idempotentHint: boolean;
  /** Whether the tool contacts systems outside this installation that the caller names. */
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
  /** Signal that aborts when the client no longer waits for the answer. */
  signal: AbortSignal;
  /**
   * Tells the client how far a long call is. Does nothing unless the client asked for progress. `progress` must grow with
   * each call.
   */
  report: (progress: number, total: number, message: string) => Promise<void>;
  requestId: string;
  /**
   * Delimiter for document text. All text and names from documents must pass through it before a model reads
   * them.
   */
  fence: Fence;
}

/** Result of a tool. `data` is the structured content, and `text` is the same content as readable text. */
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
  /** Scope that an API key needs. `write` if the tool is not read-only. */
  needs: ApiScope;
  annotations: Annotations;
  handle(call: Call<z.output<Input>>): Promise<ToolAnswer<z.input<Output>>>;
}

export type Tool<Name extends string = string> = ToolSpec<Name, z.ZodObject, z.ZodObject>;

/** Declares a tool. Unknown arguments are rejected, because a misspelt one would otherwise be ignored. */
export function tool<const Name extends string, Input extends z.ZodObject, Output extends z.ZodObject>(
  spec: ToolSpec<Name, Input, Output>,
): Tool<Name> {
  // The registry stores tools without their individual types. The cast is safe, because `callTool` validates
  // the arguments.
  return { ...spec, input: spec.input.strict() } as unknown as Tool<Name>;
}
