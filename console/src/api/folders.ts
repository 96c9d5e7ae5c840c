/** Value of the parameter `folder` for the root. Parameters that are empty are not sent. */
export const ROOT = '/';

const MAX_LENGTH = 1000;
const MAX_DEPTH = 50;

/**
 * Converts the path of a folder on the user's computer to a folder of the project. Characters that the service
 * does not accept are replaced. A path that is too long or too deep is shortened to its first folders.
 */
export function toFolder(path: string): string {
  const names = path
    .normalize('NFC')
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the service refuses control characters
    .replace(/[\\\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '_')
    .split('/')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== '.' && name !== '..')
    .slice(0, MAX_DEPTH);
  while (names.join('/').length > MAX_LENGTH) names.pop();
  return names.join('/');
}
