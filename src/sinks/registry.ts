import { Upstream } from '#src/errors.ts';
import { componentSchema, freeFormComponent } from '#src/lib/component.ts';
import { sinkComponents } from './components.ts';

/** A vector store refused or failed. */
export class SinkError extends Upstream {
  override readonly name = 'SinkError';
}

/** The kinds of vector store that this installation can write to beside its own index. */
const AVAILABLE: readonly string[] = [];

/** Throws a SinkError that no retry can help when a pipeline cannot write there. */
export function requireSink(type: string, component: Record<string, unknown>): void {
  if (componentSchema(sinkComponents, type, component) === freeFormComponent) {
    const message = `The component has no field that ${type} knows, or lacks the required ones.`;
    throw new SinkError(message, { retryable: false });
  }
  if (AVAILABLE.includes(type)) return;
  const message = `This installation has no driver for data sinks of the kind ${type}; without a data sink the pipeline writes to its managed index.`;
  throw new SinkError(message, { retryable: false });
}
