import { describe } from "vitest";
import { goOnTour } from "./tour.ts";

describe("the tour", () => {
  goOnTour({ start: (options) => options });
});
