cdef int one = 1
