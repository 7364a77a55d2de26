import { listJobs, readJob } from "../src/allocator/pool-jobs.ts";
import { http, route } from "../src/edge/http.ts";
import { jobAnswer, jobsAnswer } from "../src/edge/job-answer.ts";
import { readJobPath, readSpace } from "../src/edge/parameters.ts";
import { context } from "../src/wiring.ts";

const plat = context();

export const handler = http({
  "GET /v1/jobs": route(readSpace, (space) => listJobs(plat, space), jobsAnswer),
  "GET /v1/jobs/{id}": route(readJobPath, ({ space, id }) => readJob(plat, space, id), jobAnswer),
});
