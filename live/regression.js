// Nadaraya-Watson of unit 01: the oldest attention, prediction by similarity.
import { softmax } from "./tensor.js";

/** The weights of all keys for one query; `except` is the number of a key that is left out. */
export function gaussianWeights(query, keys, bandwidth, except = -1) {
  return softmax(keys.map((key, i) => (i === except ? -Infinity : -((query - key) ** 2) / (2 * bandwidth ** 2))));
}

export function predict(query, keys, values, bandwidth, except = -1) {
  return gaussianWeights(query, keys, bandwidth, except).reduce((sum, weight, i) => sum + weight * values[i], 0);
}

/** The mean squared error when every point is predicted from all the others. */
export function leaveOneOut(keys, values, bandwidth) {
  return keys.reduce((sum, key, i) => sum + (predict(key, keys, values, bandwidth, i) - values[i]) ** 2, 0) / keys.length;
}
