/** The path that an environment can open to everybody. Its answer says that Plat serves, and nothing else. */
export const HEALTH_PATH = "/healthz";

export const HEALTH_METHODS = ["GET", "HEAD"] as const;

/** The rate of a health checker that asks every second from some places. */
export const HEALTH_THROTTLE = { throttlingRateLimit: 10, throttlingBurstLimit: 20 };
