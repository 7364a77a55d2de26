/** The text of a time, ISO 8601 in UTC. Formats what it is given; it reads no clock. */
export function formatTime(ms: number): string {
  return new Date(ms).toISOString();
}
