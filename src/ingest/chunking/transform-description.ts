import { z } from 'zod';

// What JSON Schema says of transform configurations, where the mode is chosen by what else there is: zod has no such
// union to describe, and a description that asks for the mode would refuse what is taken.

interface Shapes {
  auto: z.ZodObject;
  chunkers: { options: readonly z.ZodObject[] };
  segmenters: { options: readonly z.ZodObject[] };
}
type Schema = Record<string, unknown>;

const NOTHING = { type: 'null' };
const orNull = (schema: Schema): Schema => ({ anyOf: [schema, NOTHING] });

/** Every member may be left out or null, and the mode too where another member or a default tells it. */
export function transformAsSent({ auto, chunkers, segmenters }: Shapes): Schema {
  const chunking_config = { anyOf: [...sent(chunkers.options, 'sentence'), NOTHING] };
  const segmentation_config = { anyOf: [...sent(segmenters.options, 'none'), NOTHING] };
  const parts = { chunking_config, segmentation_config };
  const sizes = sentShape(auto);
  return {
    description: 'Without a mode: advanced where a part of it is given, else auto.',
    anyOf: [
      object('auto', { ...sizes, mode: { const: 'auto' } }, ['mode']),
      object('auto, untold', {
        ...sizes,
        mode: NOTHING,
        chunking_config: NOTHING,
        segmentation_config: NOTHING,
      }),
      object('advanced', { ...parts, mode: { const: 'advanced' } }, ['mode']),
      { ...object('advanced, untold', { ...parts, mode: NOTHING }), anyOf: Object.keys(parts).map(isGiven) },
      // For nullable uses; where the field is not, its own type rules it out.
      NOTHING,
    ],
  };
}

export function transformAsStored({ auto, chunkers, segmenters }: Shapes): Schema {
  const advanced = {
    mode: { const: 'advanced' },
    chunking_config: { anyOf: chunkers.options.map(stored) },
    segmentation_config: { anyOf: segmenters.options.map(stored) },
  };
  return { anyOf: [stored(auto), object('advanced', advanced, Object.keys(advanced)), NOTHING] };
}

/** `told`: the mode of the shape that is meant where none is said. */
function sent(options: readonly z.ZodObject[], told: string): Schema[] {
  return options.map((option) => {
    const { mode, ...members } = sentShape(option);
    const name = modeOf(option);
    if (name !== told) return object(name, { ...members, mode: { const: name } }, ['mode']);
    return object(name, { ...members, mode: orNull({ const: name }) });
  });
}

function sentShape(option: z.ZodObject): Record<string, Schema> {
  const { properties } = z.toJSONSchema(option, { io: 'input' });
  const members = Object.entries(properties as Record<string, Schema>);
  return Object.fromEntries(
    members.map(([name, { default: value, ...member }]) => [
      name,
      { ...orNull(member), ...(value !== undefined && { default: value }) },
    ]),
  );
}

function stored(option: z.ZodObject): Schema {
  const { $schema, additionalProperties, ...described } = z.toJSONSchema(option, { io: 'output' });
  return { title: modeOf(option), ...described };
}

const modeOf = ({ shape }: z.ZodObject) => String((shape.mode as z.ZodLiteral).value);

const object = (title: string, properties: Schema, required: string[] = []): Schema => ({
  title,
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
});

const isGiven = (name: string): Schema => ({ required: [name], properties: { [name]: { type: 'object' } } });
