import * as v from "valibot";

export const contentsQuery = { cursor: v.optional(v.string()) };

export const orphansQuery = { cursor: v.optional(v.string()) };
