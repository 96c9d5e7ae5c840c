/** Version of this service, for its description and its capabilities. */
export const VERSION = '0.3.0';
