/** Formats a time as ISO 8601 in UTC. It reads no clock. */
export function formatTime(ms: number): string {
  return new Date(ms).toISOString();
}
