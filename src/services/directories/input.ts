import { z } from 'zod';
import { DIRECTORY_TYPES } from '#src/db/schema/index.ts';
import { isDeeperThan } from '#src/lib/json/json-extent.ts';

/** Maximum number of directories of a project. */
export const MAX_DIRECTORIES = 1_000;
/** Maximum number of files of a directory. */
export const MAX_DIRECTORY_FILES = 10_000;
/** Maximum length of metadata in characters of JSON. */
export const MAX_METADATA_CHARACTERS = 16 * 1024;
const MAX_METADATA_DEPTH = 100;
/** Maximum length of the names of files, as for uploads. */
const MAX_NAME_CHARACTERS = 3_000;
const MAX_DESCRIPTION_CHARACTERS = 10_000;

const hasShortJson = (given: unknown) => JSON.stringify(given).length <= MAX_METADATA_CHARACTERS;
const SHORT = { message: `must have at most ${MAX_METADATA_CHARACTERS} characters as JSON` };

const directoryName = z.string().min(1).max(255).describe('Name of the directory. Names may repeat.');
const description = z.string().max(MAX_DESCRIPTION_CHARACTERS).nullish();
const notConnected = z
  .null()
  .optional()
  .describe('Only null is allowed: directories contain files that you add or upload.');

export const newDirectory = z.object({
  name: directoryName,
  description,
  type: z
    .enum(DIRECTORY_TYPES)
    .nullish()
    .describe('`user` by default. An `ephemeral` directory is deleted after 24 hours; its files stay.'),
  system_metadata: z
    .record(z.string(), z.unknown())
    .refine(hasShortJson, SHORT)
    .refine((given) => !isDeeperThan(given, MAX_METADATA_DEPTH), {
      message: `must have at most ${MAX_METADATA_DEPTH} levels of nesting`,
    })
    .nullish()
    .describe('JSON object of the caller. Sluice returns it unchanged.'),
  connector_subscription_id: notConnected,
  data_source_id: notConnected,
});
export type NewDirectory = z.infer<typeof newDirectory>;

export const directoryChanges = z.object({ name: directoryName.nullish(), description });
export type DirectoryChanges = z.infer<typeof directoryChanges>;

export const fileMetadata = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]))
  .refine(hasShortJson, SHORT);

export const uniqueId = z.string().min(1).max(MAX_NAME_CHARACTERS);
export const displayName = z.string().min(1).max(MAX_NAME_CHARACTERS);
const fileId = z.string().min(1).max(200);

export const newDirectoryFile = z.object({
  file_id: fileId.describe('Id of a file of the same project.'),
  display_name: displayName.nullish().describe('Name of the file by default.'),
  unique_id: uniqueId
    .nullish()
    .describe('Your own name for the file. By default its `external_file_id`, or else its name.'),
  metadata: fileMetadata.nullish(),
});

/** Properties of a new file of a directory, apart from the file itself. */
export type FileLabels = Partial<Omit<z.infer<typeof newDirectoryFile>, 'file_id'>>;

export const directoryFileChanges = z.object({
  display_name: displayName.nullish(),
  unique_id: uniqueId.nullish(),
  metadata: fileMetadata.nullish().describe('Replaces the metadata.'),
  target_directory_id: z
    .string()
    .max(200)
    .nullish()
    .describe('Directory of the same project into which the file is moved.'),
  directory_id: z.string().max(200).nullish().describe('Older name of `target_directory_id`.'),
});
export type DirectoryFileChanges = z.infer<typeof directoryFileChanges>;
