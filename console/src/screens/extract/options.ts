import type { Body } from '../../api/types.ts';

type Configuration = NonNullable<Body<'POST /api/v2/extract'>['configuration']>;

/** How values are extracted, beside the schema that says which. */
export type Options = Omit<Configuration, 'data_schema'>;
