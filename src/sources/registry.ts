import { componentSchema, freeFormComponent } from '#src/lib/component.ts';
import { bucketSource } from './bucket/bucket.ts';
import { type SourceComponent, type SourceType, sourceComponents } from './components.ts';
import { type Source, type SourceDriver, SourceError, type SourceSettings } from './source.ts';

/** The kinds that this installation can read. */
const drivers = {
  SOURCE_9_BUCKET: bucketSource,
} satisfies { [Type in SourceType]?: SourceDriver<SourceComponent<Type>> };

export type AvailableSource = keyof typeof drivers;

/** Rejects with a SourceError that no retry can help when the kind has no reader or the component is free-form. */
export function openSourceDriver(
  type: string,
  component: Record<string, unknown>,
  settings: SourceSettings,
): Source {
  if (!(type in drivers)) {
    const available = Object.keys(drivers).join(', ');
    throw new SourceError(`This installation has no reader for ${type}; available: ${available}.`, {
      retryable: false,
    });
  }
  if (componentSchema(sourceComponents, type, component) === freeFormComponent) {
    const message = `The component has no field that ${type} knows, or lacks the required ones.`;
    throw new SourceError(message, { retryable: false });
  }
  return drivers[type as AvailableSource](component as never, settings);
}
